; The plain loop of wc.asm with the V pipe switched off, as on a processor with one pipe.
; expect words_plain = 186
        .586
        .model flat
LENGTH_ equ 992
        .data
text        db 31 dup('pairs do not form by themselves ')
words_plain dd 0
        .code
start:
        mov ecx,0Eh             ; test register 12
        mov eax,4               ; bit 2: single pipe
        xor edx,edx
        wrmsr
        call plain
        StartTSC one_pipe
        call plain
        EndTSC
        mov words_plain,eax
        mov ecx,0Eh
        xor eax,eax             ; both pipes again
        xor edx,edx
        wrmsr
        ret

; One step after another: 91 instructions for 32 bytes.
plain   proc
        mov esi,offset text
        mov ebp,LENGTH_/32
        xor edx,edx             ; before the text there is no word
        xor edi,edi
again:
        mov eax,[esi]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+4]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+8]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+12]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+16]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+20]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+24]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        mov eax,[esi+28]
        add eax,5F5F5F5Fh
        and eax,80808080h
        mov ecx,eax
        shl ecx,8
        or ecx,edx
        mov edx,eax
        shr edx,24
        xor eax,ecx
        shr eax,7
        add edi,eax
        add esi,32
        dec ebp
        jnz again
        jmp sum
plain   endp

; Sums the four bytes of EDI and halves the sum: the number of words, in EAX.
sum     proc
        mov eax,edi
        shr edi,8
        and eax,00FF00FFh
        and edi,00FF00FFh
        add eax,edi
        mov edi,eax
        shr eax,16
        and edi,0FFFFh
        add eax,edi
        shr eax,1
        ret
sum     endp
        end start
