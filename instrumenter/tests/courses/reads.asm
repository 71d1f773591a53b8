; What is typed: a line for each, then keys, of which the last are missing.
INCLUDE Irvine32.inc

.data
prompt  BYTE "> ", 0
name1   BYTE 6 DUP('-'), 0

.code
main PROC
        mov     ecx, 3
again:  mov     edx, OFFSET prompt
        call    WriteString
        call    ReadInt
        jno     right
        mov     eax, 999
right:  call    WriteInt
        call    Crlf
        loop    again

        call    ReadDec
        call    WriteDec
        call    Crlf
        call    ReadHex
        call    WriteHex
        call    Crlf
        mov     edx, OFFSET name1
        mov     ecx, 6
        call    ReadString
        call    WriteDec
        mov     al, ' '
        call    WriteChar
        call    WriteString
        call    Crlf
        call    ReadChar
        call    WriteChar
        call    ReadKey
        call    WriteChar
        call    Crlf
        call    WaitMsg
        call    ReadInt
        call    WriteInt
        exit
main ENDP
END main
