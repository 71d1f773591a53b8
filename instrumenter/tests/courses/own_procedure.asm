; A procedure of the program's own takes the place of one of the library.
INCLUDE Irvine32.inc

.code
main PROC
        mov     eax, 41
        call    Delay
        call    WriteDec
        exit
main ENDP

Delay PROC
        inc     eax
        ret
Delay ENDP
END main
