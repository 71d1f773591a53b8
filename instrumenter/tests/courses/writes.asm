; What the procedures write, and what they return.
TITLE Numbers and texts
INCLUDE Irvine32.inc
INCLUDE Macros.inc

.data
text    BYTE "abc Xyz***", 0
copy    BYTE 20 DUP(0FFh)
words   WORD 1234h, 0ABCDh, 0, 0FFFFh
digits  BYTE "  -42x"
large   BYTE "4294967295"

.code
main PROC
        mov     eax, 0
        call    WriteInt
        mWriteSpace 2
        mov     eax, 80000000h
        call    WriteInt
        mWriteSpace
        call    WriteDec
        mWriteSpace
        mov     eax, 0C0FFEEh
        call    WriteHex
        mWriteSpace
        mov     ebx, 2
        call    WriteHexB
        call    Crlf
        mov     eax, 0A5h
        call    WriteBin
        call    Crlf
        mov     ebx, 1
        call    WriteBinB
        call    Crlf
        mov     al, 'q'
        call    WriteChar
        call    Crlf

        mWriteLn "Texts:"
        INVOKE  Str_length, ADDR text
        call    WriteDec
        call    Crlf
        INVOKE  Str_trim, ADDR text, '*'
        INVOKE  Str_copy, ADDR text, ADDR copy
        INVOKE  Str_ucase, ADDR copy
        mWriteString copy
        call    Crlf
        INVOKE  Str_compare, ADDR text, ADDR copy
        seta    al
        movzx   eax, al
        call    WriteDec
        INVOKE  Str_compare, ADDR copy, ADDR copy
        sete    al
        movzx   eax, al
        call    WriteDec
        call    Crlf
        mDumpMem OFFSET words, LENGTHOF words, TYPE words

        mWriteLn "Numbers in texts:"
        mov     edx, OFFSET digits
        mov     ecx, LENGTHOF digits
        call    ParseInteger32
        call    WriteInt
        call    Crlf
        mov     edx, OFFSET large
        mov     ecx, LENGTHOF large
        call    ParseDecimal32
        setc    bl
        call    WriteDec
        mov     al, bl
        add     al, '0'
        call    WriteChar
        call    Crlf
        mov     al, '7'
        call    IsDigit
        setz    bl
        mov     al, ':'
        call    IsDigit
        setnz   bh
        movzx   eax, bx
        call    WriteHex
        call    Crlf

        mov     ecx, 5
roll:   mov     eax, 6
        call    RandomRange
        call    WriteDec
        loop    roll
        call    Crlf

        mov     eax, yellow + (blue SHL 4)
        call    SetTextColor
        xor     eax, eax
        call    GetTextColor
        call    WriteHex
        call    Crlf

        call    GetMseconds
        mov     ebx, eax
        mov     eax, 20
        call    Delay
        call    GetMseconds
        sub     eax, ebx
        cmp     eax, 20
        setae   al
        movzx   eax, al
        call    WriteDec
        call    Crlf

        mov     eax, 1
        mov     ebx, 2
        mov     ecx, 3
        mov     edx, 4
        mov     esi, 5
        mov     edi, 6
        mov     ebp, 7
        cmp     eax, ebx
        call    DumpRegs
        exit
main ENDP
END main
