; Lines of a module: those of macros are the lines of their calls.
.model small
twice   macro what
        what
        what
        endm
.code
start:  mov ax,5
        twice <inc ax>
table   dw 1,2
        dec ax
        push ax
        pop bx
        ret
end start
