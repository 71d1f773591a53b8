; kernel32.asm: the few procedures of Windows that programs of courses declare, to end and to use the console, over
; int 21h as a DOS extender serves it. The handle of a file is its number there: 0 is input, 1 output, 2 errors.

STD_INPUT_HANDLE equ -10

.code

; Ends the program with an exit code.
ExitProcess proc public, code:DWORD
        mov eax, code
        mov ah, 4Ch
        int 21h
        ret
ExitProcess endp

; The handle of input, output or errors: -10, -11 or -12.
GetStdHandle proc public, which:DWORD
        mov eax, STD_INPUT_HANDLE
        sub eax, which
        cmp eax, 2
        jbe done
        mov eax, -1
done:   ret
GetStdHandle endp

; The body of WriteFile and ReadFile, by a function of DOS: the number of bytes goes to `moved` if that is not 0. EAX is
; 0 if that fails.
transfer macro function, moved
        local done
        mov ebx, file
        mov edx, buffer
        mov ecx, count
        mov ah, function
        int 21h
        sbb ecx, ecx
        not ecx
        and eax, ecx
        mov edx, moved
        test edx, edx
        jz done
        mov [edx], eax
done:   mov eax, ecx
        neg eax
        ret
endm

WriteFile proc public uses ebx, file:DWORD, buffer:DWORD, count:DWORD, written:DWORD, overlapped:DWORD
        transfer 40h, written
WriteFile endp

WriteConsoleA proc public, file:DWORD, buffer:DWORD, count:DWORD, written:DWORD, reserved:DWORD
        invoke WriteFile, file, buffer, count, written, reserved
        ret
WriteConsoleA endp

; Reads a line with its end, echoed, of at most `count` bytes; their number goes to `got`.
ReadConsoleA proc public uses ebx esi, file:DWORD, buffer:DWORD, count:DWORD, got:DWORD, reserved:DWORD
        mov esi, buffer
        mov ebx, esi
        add ebx, count
next:   cmp esi, ebx
        jae ended
        mov ah, 8
        int 21h
        cmp al, ESCAPE
        jne typed
        mov al, CR
typed:  call put
        cmp al, CR
        jne next
        cmp esi, ebx
        jae ended
        mov al, LF
        call put
ended:  sub esi, buffer
        mov edx, got
        test edx, edx
        jz done
        mov [edx], esi
done:   mov eax, 1
        ret
ReadConsoleA endp

; Puts a character that is typed into the buffer, and echoes it.
put proc private
        mov [esi], al
        inc esi
        push eax
        mov dl, al
        mov ah, 2
        int 21h
        pop eax
        ret
put endp

ReadFile proc public uses ebx, file:DWORD, buffer:DWORD, count:DWORD, got:DWORD, overlapped:DWORD
        transfer 3Fh, got
ReadFile endp

end
