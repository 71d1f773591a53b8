.model small
extrn sumi:near, other:word
.code
start:  call sumi
        mov ax,other
        ret
end start
