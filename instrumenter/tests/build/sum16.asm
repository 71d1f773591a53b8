; The sum of CX words at DS:SI in AX, and the words themselves.
.model small
.data
public table, count
table   dw 3,5,7
count   dw 3
.code
public sum
sum:    xor ax,ax
next:   add ax,[si]
        add si,2
        loop next
        ret
end
