; Reads the model specific registers of a list with RDMSR, all of them and then all of them again. Behind this text
; stand the list, `numbers`, which -1 ends, and the places of both readings, `first` and `second`: for each register its
; value and the vector of the exception that reading it raised.
        .586p
        .model flat
        .code
gate    macro vector, handler
        mov eax,offset handler
        mov word ptr idt[vector*8],ax
        mov word ptr idt[vector*8+2],8
        mov word ptr idt[vector*8+4],8E00h
        shr eax,16
        mov word ptr idt[vector*8+6],ax
        endm
start:  gate 6,undefined
        gate 13,protection
        lgdt fword ptr gdtr
        lidt fword ptr idtr
        mov edi,offset first
        call explore
        mov edi,offset second
        call explore
        hlt

explore proc
        mov esi,offset numbers
next:   mov ecx,[esi]
        add esi,4
        cmp ecx,-1
        je done
        xor ebx,ebx
        rdmsr
        test ebx,ebx
        jnz fault
        mov [edi],eax
        mov [edi+4],edx
fault:  mov [edi+8],ebx
        add edi,12
        jmp next
done:   ret
explore endp

protection:
        mov ebx,13
        add esp,4               ; the error code
        add dword ptr [esp],2   ; behind RDMSR
        iretd
undefined:
        mov ebx,6
        add dword ptr [esp],2
        iretd

        .data
gdt     dq 0
        dw 0FFFFh, 0, 9A00h, 0CFh
        dw 0FFFFh, 0, 9200h, 0CFh
gdtr    dw 23
        dd offset gdt
idt     dq 16 dup(0)
idtr    dw 127
        dd offset idt
