; Sorts 64 numbers and prints them.
        bits 32
        global _start
        section .data
seed:   dd 12345
nl:     db 10

        section .bss
arr:    resd 64
buf:    resb 1024

        section .text
_start:
        mov     edi, arr
        mov     ecx, 64
.fill:  call    rand
        mov     [edi], eax
        add     edi, 4
        loop    .fill

        push    dword 64
        push    dword arr
        call    bubble
        add     esp, 8

        mov     edi, buf
        mov     esi, arr
        mov     ecx, 64
.out:   lodsd
        push    ecx
        call    itoa
        pop     ecx
        mov     al, ' '
        stosb
        loop    .out
        mov     al, [nl]
        stosb

        mov     edx, edi
        sub     edx, buf
        mov     ecx, buf
        mov     ebx, 1
        mov     eax, 4
        int     0x80
        mov     eax, 1
        xor     ebx, ebx
        int     0x80

; eax = next number 0..32767
rand:
        mov     eax, [seed]
        imul    eax, eax, 1103515245
        add     eax, 12345
        mov     [seed], eax
        shr     eax, 16
        and     eax, 7FFFh
        ret

; void bubble(int *a, int n)
bubble:
        push    ebp
        mov     ebp, esp
        push    ebx
        push    esi
        mov     ecx, [ebp+12]
        dec     ecx
.outer: mov     esi, [ebp+8]
        mov     edx, ecx
.inner: mov     eax, [esi]
        cmp     eax, [esi+4]
        jle     .ok
        xchg    eax, [esi+4]
        mov     [esi], eax
.ok:    add     esi, 4
        dec     edx
        jnz     .inner
        loop    .outer
        pop     esi
        pop     ebx
        pop     ebp
        ret

; write eax as decimal at edi
itoa:
        push    esi
        mov     ebx, 10
        xor     ecx, ecx
.d:     xor     edx, edx
        div     ebx
        add     dl, '0'
        push    edx
        inc     ecx
        test    eax, eax
        jnz     .d
.w:     pop     eax
        stosb
        loop    .w
        pop     esi
        ret
