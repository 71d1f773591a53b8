.model small
.code
public sum
sum:    ret
start:  call sum
        ret
end start
