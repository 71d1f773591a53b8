; Sizes without `ptr`, overrides within brackets, far pointers and prefixes.
bits 32
section .text
_start: mov byte [ebx], 5
        mov [ebx], byte 5
        mov word [es:edi + 2], 0x1234
        mov eax, [fs:0x30]
        push dword [ebx]
        push word [ebx]
        push dword 5
        push word 5
        push byte -1
        call [ebx + 8]
        call dword [vector]
        jmp [vector + ecx * 4]
        jmp far [ebx]
        call far [vector]
        jmp 8:0x1234
        rep movsd
        repne scasb
        lock inc dword [ebx]
        es lodsb
        movzx eax, byte [ebx]
        movsx ecx, word [ebx + eax]
        fld dword [ebx]
        fld qword [ebx]
        fld tword [ebx]
        fadd to st1
        fmul st1
        fstp st0
        imul ecx, 10
        imul ecx, [ebx], 100
        test byte [ebx], 1
        add ecx, strict dword 1
        enter 8, 0
        ret 4
section .data
vector: dd _start, 0
