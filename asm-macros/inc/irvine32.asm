; irvine32.asm: procedures of the Irvine32 library, over int 21h as a DOS extender serves it.
;
; Every procedure keeps all registers but those in which it returns something.
; What is typed ends with Enter, or with Esc, which the keyboard has when standard input is used up.

LINE    equ 128                         ; The most characters of a number that is typed.

.data
seed    dd 1
color   dd 7
typed   db LINE dup (0)

registerNames db "  EAX=", 0, "  EBX=", 0, "  ECX=", 0, "  EDX=", 0
        db "  ESI=", 0, "  EDI=", 0, "  EBP=", 0, "  ESP=", 0, "  EIP=", 0, "  EFL=", 0
flagNames db "  CF=", 0, "  SF=", 0, "  ZF=", 0, "  OF=", 0, "  AF=", 0, "  PF=", 0
flagBits db 0, 7, 6, 11, 4, 2
anyKey  db "Press any key to continue...", 0
invalid db " <invalid integer>", 0
tooWide db " <32-bit integer overflow>", 0
dumpOf  db "Dump of offset ", 0
line    db "-------------------------------", 0

.code

; Writes the character in AL.
WriteChar proc public
        pushad
        mov dl, al
        mov ah, 2
        int 21h
        popad
        ret
WriteChar endp

; Writes the character in AL as often as ECX says.
Irvine_Repeat proc public
        pushfd
        jecxz none
next:   call WriteChar
        dec ecx
        jnz next
none:   popfd
        ret
Irvine_Repeat endp

Crlf proc public
        push eax
        mov al, CR
        call WriteChar
        mov al, LF
        call WriteChar
        pop eax
        ret
Crlf endp

; Writes the text at EDX, up to its zero.
WriteString proc public
        pushfd
        pushad
        invoke Str_length, edx
        mov ecx, eax
        mov ebx, 1
        mov ah, 40h
        int 21h
        popad
        popfd
        ret
WriteString endp

; Writes EAX without a sign.
WriteDec proc public
        pushfd
        pushad
        xor ecx, ecx
        mov ebx, 10
digit:  xor edx, edx
        div ebx
        push edx
        inc ecx
        test eax, eax
        jnz digit
write:  pop eax
        add al, '0'
        call WriteChar
        dec ecx
        jnz write
        popad
        popfd
        ret
WriteDec endp

; Writes EAX with its sign.
WriteInt proc public
        pushfd
        push eax
        push eax
        test eax, eax
        mov al, '+'
        jns sign
        mov al, '-'
sign:   call WriteChar
        pop eax
        test eax, eax
        jns number
        neg eax
number: call WriteDec
        pop eax
        popfd
        ret
WriteInt endp

; Writes EAX in eight hexadecimal digits.
WriteHex proc public
        push ebx
        mov ebx, 4
        call WriteHexB
        pop ebx
        ret
WriteHex endp

; Writes the lowest EBX bytes of EAX in hexadecimal digits.
WriteHexB proc public
        pushfd
        pushad
        call bytesOf
        mov edx, eax
        lea ecx, [ebx*2]
next:   rol edx, 4
        mov eax, edx
        and eax, 15
        cmp al, 10
        sbb al, 69h
        das
        call WriteChar
        dec ecx
        jnz next
        popad
        popfd
        ret
WriteHexB endp

; Makes EBX 1, 2 or 4, and moves as many bytes of EAX to its top.
bytesOf proc private
        cmp ebx, 1
        je byte1
        cmp ebx, 2
        je byte2
        mov ebx, 4
        ret
byte1:  shl eax, 24
        ret
byte2:  shl eax, 16
        ret
bytesOf endp

; Writes EAX in 32 binary digits, by fours.
WriteBin proc public
        push ebx
        mov ebx, 4
        call WriteBinB
        pop ebx
        ret
WriteBin endp

; Writes the lowest EBX bytes of EAX in binary digits, by fours.
WriteBinB proc public
        pushfd
        pushad
        call bytesOf
        mov edx, eax
        lea ecx, [ebx*8]
next:   mov al, '0'
        shl edx, 1
        adc al, 0
        call WriteChar
        dec ecx
        jz done
        test ecx, 3
        jnz next
        mov al, ' '
        call WriteChar
        jmp next
done:   popad
        popfd
        ret
WriteBinB endp

; Writes the registers and the flags.
DumpRegs proc public
        pushfd
        pushad
        mov ebp, esp
        call Crlf
        mov esi, offset registerNames
        lea edi, order
        mov ecx, 10
next:   mov edx, esi
        call WriteString
        add esi, 7
        movzx ebx, byte ptr [edi]
        inc edi
        mov eax, [ebp+ebx]
        cmp ecx, 3
        jne shown
        lea eax, [ebp+40]               ; ESP of the caller.
shown:  call WriteHex
        cmp ecx, 7
        je broken
        cmp ecx, 3
        jne unbroken
broken: call Crlf
unbroken:
        dec ecx
        jnz next
        mov esi, offset flagNames
        xor edi, edi
flag:   mov edx, esi
        call WriteString
        add esi, 6
        movzx ecx, flagBits[edi]
        mov eax, [ebp+32]
        shr eax, cl
        and eax, 1
        call WriteDec
        inc edi
        cmp edi, 6
        jb flag
        call Crlf
        call Crlf
        popad
        popfd
        ret
; Where PUSHAD, PUSHFD and the call left each of them.
order   db 28, 16, 24, 20, 4, 0, 8, 12, 36, 32
DumpRegs endp

; Writes ECX elements of EBX bytes each from ESI on.
DumpMem proc public
        pushfd
        pushad
        call Crlf
        mov edx, offset dumpOf
        call WriteString
        mov eax, esi
        call WriteHex
        call Crlf
        mov edx, offset line
        call WriteString
        call Crlf
        jecxz done
        xor edi, edi
next:   mov eax, [esi]
        call WriteHexB
        mov al, ' '
        call WriteChar
        call WriteChar
        add esi, ebx
        add edi, ebx
        and edi, 15
        jnz unbroken
        call Crlf
unbroken:
        dec ecx
        jnz next
done:   call Crlf
        popad
        popfd
        ret
DumpMem endp

; Nothing is shown on a screen.
Clrscr proc public
        ret
Clrscr endp

Gotoxy proc public
        ret
Gotoxy endp

SetTextColor proc public
        mov color, eax
        ret
SetTextColor endp

GetTextColor proc public
        mov eax, color
        ret
GetTextColor endp

GetMaxXY proc public
        mov dx, 80
        mov ax, 25
        ret
GetMaxXY endp

; Reads a key into AL, without echo.
ReadChar proc public
        push edx
        mov edx, eax
        mov ah, 8
        int 21h
        mov dl, al
        mov eax, edx
        pop edx
        ret
ReadChar endp

; Reads a key into AL; ZF if there is none.
ReadKey proc public
        push edx
        mov dl, 0FFh
        mov ah, 6
        int 21h
        pop edx
        ret
ReadKey endp

WaitMsg proc public
        pushad
        mov edx, offset anyKey
        call WriteString
        mov ah, 8
        int 21h
        call Crlf
        popad
        ret
WaitMsg endp

; Reads a line of at most ECX-1 characters to EDX, and puts a zero after it. EAX gets their number.
ReadString proc public
        push ebx
        push esi
        pushfd
        mov esi, edx
        mov ebx, edx
        add ebx, ecx
        dec ebx
next:   mov ah, 8
        int 21h
        cmp al, CR
        je ended
        cmp al, ESCAPE
        je ended
        call WriteChar
        cmp esi, ebx
        jae next
        mov [esi], al
        inc esi
        jmp next
ended:  call Crlf
        mov byte ptr [esi], 0
        sub esi, edx
        mov eax, esi
        popfd
        pop esi
        pop ebx
        ret
ReadString endp

; The body of ReadInt and ReadDec.
readNumber macro parse
        push ecx
        push edx
        mov edx, offset typed
        mov ecx, LINE
        call ReadString
        mov ecx, eax
        call parse
        pop edx
        pop ecx
        ret
endm

; Reads a number with a sign into EAX; OF if what is typed is none.
ReadInt proc public
        readNumber ParseInteger32
ReadInt endp

; Reads a number without a sign into EAX; CF if what is typed is none.
ReadDec proc public
        readNumber ParseDecimal32
ReadDec endp

; Reads hexadecimal digits into EAX, up to what is none.
ReadHex proc public
        push ebx
        push ecx
        push edx
        mov edx, offset typed
        mov ecx, LINE
        call ReadString
        xor ebx, ebx
next:   movzx eax, byte ptr [edx]
        inc edx
        or al, 20h
        cmp al, '0'
        jb ended
        cmp al, '9'
        jbe digit
        cmp al, 'a'
        jb ended
        cmp al, 'f'
        ja ended
        sub al, 'a'-'0'-10
digit:  sub al, '0'
        shl ebx, 4
        or ebx, eax
        jmp next
ended:  mov eax, ebx
        pop edx
        pop ecx
        pop ebx
        ret
ReadHex endp

; The number with a sign in the ECX characters at EDX into EAX; OF, and a message, if it is none.
ParseInteger32 proc public
        push ebx
        push ecx
        push edx
        push esi
        push edi
        call skipBlanks
        xor edi, edi                    ; 1 if it is negative.
        test ecx, ecx
        jz wrong
        mov al, [esi]
        cmp al, '-'
        jne plus
        inc edi
        jmp signed
plus:   cmp al, '+'
        jne digits
signed: inc esi
        dec ecx
digits: call magnitude
        jc wrong
        js wide
        mov eax, ebx
        test edi, edi
        jz positive
        cmp eax, 80000000h
        ja wide
        neg eax
        jmp right
positive:
        cmp eax, 7FFFFFFFh
        ja wide
right:  test eax, eax                   ; Clears OF.
        jmp done
wide:   mov edx, offset tooWide
        jmp tell
wrong:  mov edx, offset invalid
tell:   call WriteString
        call Crlf
        xor eax, eax
        mov cl, 7Fh
        inc cl                          ; Sets OF.
done:   pop edi
        pop esi
        pop edx
        pop ecx
        pop ebx
        ret
ParseInteger32 endp

; The number without a sign in the ECX characters at EDX into EAX; CF if it is none.
ParseDecimal32 proc public
        push ebx
        push ecx
        push edx
        push esi
        call skipBlanks
        call magnitude
        jc wrong
        js wrong
        mov eax, ebx
        clc
        jmp done
wrong:  xor eax, eax
        stc
done:   pop esi
        pop edx
        pop ecx
        pop ebx
        ret
ParseDecimal32 endp

; ESI and ECX are of the characters at EDX without blanks and tabs at the beginning.
skipBlanks proc private
        mov esi, edx
next:   test ecx, ecx
        jz done
        cmp byte ptr [esi], ' '
        je skip
        cmp byte ptr [esi], 9
        jne done
skip:   inc esi
        dec ecx
        jmp next
done:   ret
skipBlanks endp

; EBX gets the number at the beginning of the ECX characters at ESI; CF if there is no digit, SF if it has over 32 bits.
magnitude proc private
        xor ebx, ebx
        test ecx, ecx
        jz none
        movzx eax, byte ptr [esi]
        sub eax, '0'
        cmp eax, 9
        ja none
next:   push eax
        mov eax, 10
        mul ebx
        mov ebx, eax
        pop eax
        jc wide
        add ebx, eax
        jc wide
        inc esi
        dec ecx
        jz done
        movzx eax, byte ptr [esi]
        sub eax, '0'
        cmp eax, 9
        jbe next
done:   xor eax, eax
        ret
none:   stc
        ret
wide:   or eax, -1
        ret
magnitude endp

; ZF if AL is a digit.
IsDigit proc public
        cmp al, '0'
        jb done
        cmp al, '9'
        ja done
        test ax, 0
done:   ret
IsDigit endp

; A random number into EAX.
Random32 proc public
        push edx
        mov eax, 343FDh
        imul seed
        add eax, 269EC3h
        mov seed, eax
        ror eax, 8
        pop edx
        ret
Random32 endp

; A random number below EAX into EAX.
RandomRange proc public
        push ebx
        push edx
        mov ebx, eax
        call Random32
        xor edx, edx
        div ebx
        mov eax, edx
        pop edx
        pop ebx
        ret
RandomRange endp

Randomize proc public
        push eax
        call GetMseconds
        mov seed, eax
        pop eax
        ret
Randomize endp

; The milliseconds since midnight into EAX, to the hundredth of a second.
GetMseconds proc public
        push ebx
        push ecx
        push edx
        mov ah, 2Ch
        int 21h
        movzx eax, ch
        imul eax, 60
        movzx ebx, cl
        add eax, ebx
        imul eax, 60
        movzx ebx, dh
        add eax, ebx
        imul eax, 100
        movzx ebx, dl
        add eax, ebx
        imul eax, 10
        pop edx
        pop ecx
        pop ebx
        ret
GetMseconds endp

; Waits EAX milliseconds.
Delay proc public
        pushad
        mov esi, eax
        call GetMseconds
        mov edi, eax
next:   call GetMseconds
        sub eax, edi
        cmp eax, esi
        jb next
        popad
        ret
Delay endp

; Opens the file whose name is at EDX; EAX gets its handle, or -1.
OpenInputFile proc public
        mov eax, 3D00h
        int 21h
        jnc done
        mov eax, -1
done:   ret
OpenInputFile endp

CreateOutputFile proc public
        push ecx
        xor ecx, ecx
        mov ah, 3Ch
        int 21h
        jnc done
        mov eax, -1
done:   pop ecx
        ret
CreateOutputFile endp

; Reads up to ECX bytes of the file EAX to EDX; EAX gets their number; CF if that fails.
ReadFromFile proc public
        push ebx
        mov ebx, eax
        mov ah, 3Fh
        int 21h
        pop ebx
        ret
ReadFromFile endp

; Writes ECX bytes from EDX on to the file EAX; EAX gets their number, which is 0 if that fails.
WriteToFile proc public
        push ebx
        mov ebx, eax
        mov ah, 40h
        int 21h
        jnc done
        xor eax, eax
done:   pop ebx
        ret
WriteToFile endp

CloseFile proc public
        push ebx
        mov ebx, eax
        mov ah, 3Eh
        int 21h
        pop ebx
        ret
CloseFile endp

; The length of a text into EAX.
Str_length proc public uses edi, pString:PTR BYTE
        mov edi, pString
        mov eax, 0
next:   cmp byte ptr [edi], 0
        je done
        inc edi
        inc eax
        jmp next
done:   ret
Str_length endp

Str_copy proc public uses eax esi edi, source:PTR BYTE, target:PTR BYTE
        mov esi, source
        mov edi, target
next:   mov al, [esi]
        mov [edi], al
        inc esi
        inc edi
        test al, al
        jnz next
        ret
Str_copy endp

; CF and ZF are those of a comparison.
Str_compare proc public uses eax edx esi edi, string1:PTR BYTE, string2:PTR BYTE
        mov esi, string1
        mov edi, string2
next:   mov al, [esi]
        mov dl, [edi]
        cmp al, dl
        jne done
        inc esi
        inc edi
        test al, al
        jnz next
done:   ret
Str_compare endp

; Takes a character off the end of a text, as often as it stands there.
Str_trim proc public uses eax ecx edi, pString:PTR BYTE, char:BYTE
        mov edi, pString
        invoke Str_length, edi
        mov cl, char
next:   test eax, eax
        jz done
        cmp [edi+eax-1], cl
        jne done
        dec eax
        jmp next
done:   mov byte ptr [edi+eax], 0
        ret
Str_trim endp

Str_ucase proc public uses eax esi, pString:PTR BYTE
        mov esi, pString
next:   mov al, [esi]
        test al, al
        jz done
        cmp al, 'a'
        jb skip
        cmp al, 'z'
        ja skip
        and byte ptr [esi], 0DFh
skip:   inc esi
        jmp next
done:   ret
Str_ucase endp

end
