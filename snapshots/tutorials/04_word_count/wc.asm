; Two loops that count the words of a text, four bytes at a time.
;
; Adding 5Fh to a byte below 80h sets its top bit if it is above a space, so bit 7 of each byte says "within a word".
; The exclusive or with the same bits one byte later leaves a bit where a word starts and one where it ends. They are
; summed in the four bytes of EDI, which are 248 at most; half their sum is the number of words.
; expect words_plain = 186
; expect words_tuned = 186
; expect words_by_byte = 186
        .586
        .model flat
LENGTH_ equ 992
        .data
text        db 31 dup('pairs do not form by themselves ')
words_plain dd 0
words_tuned dd 0
words_by_byte dd 0
        .code
start:
        call plain
        StartTSC plain
        call plain
        EndTSC
        mov words_plain,eax

        call tuned
        StartTSC tuned
        call tuned
        EndTSC
        mov words_tuned,eax

        call by_byte
        mov words_by_byte,eax
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

; Two dwords at once, the second three steps behind the first: 48 instructions for 16 bytes, two per clock.
tuned   proc
        mov esi,offset text
        xor ebp,ebp
        xor edi,edi
        xor ebx,ebx
again:
        shr ebx,7
        mov eax,[esi]
        add eax,5F5F5F5Fh
        add edi,ebx
        and eax,80808080h
        mov ebx,[esi+4]
        mov ecx,eax
        add ebx,5F5F5F5Fh
        shl ecx,8
        and ebx,80808080h
        or ecx,ebp
        mov edx,ebx
        shl edx,8
        mov ebp,eax
        shr ebp,24
        xor eax,ecx
        shr eax,7
        or edx,ebp
        mov ebp,ebx
        add edi,eax
        shr ebp,24
        xor ebx,edx
        shr ebx,7
        mov eax,[esi+8]
        add eax,5F5F5F5Fh
        add edi,ebx
        and eax,80808080h
        mov ebx,[esi+12]
        mov ecx,eax
        add ebx,5F5F5F5Fh
        shl ecx,8
        and ebx,80808080h
        or ecx,ebp
        mov edx,ebx
        shl edx,8
        mov ebp,eax
        shr ebp,24
        xor eax,ecx
        shr eax,7
        or edx,ebp
        mov ebp,ebx
        add edi,eax
        shr ebp,24
        xor ebx,edx
        add esi,16
        nop
        cmp esi,offset text+LENGTH_
        jb again
        shr ebx,7
        add edi,ebx
        jmp sum
tuned   endp

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
; The same count byte by byte, as a reference.
by_byte proc
        mov esi,offset text
        mov ecx,LENGTH_
        xor eax,eax
        mov dl,' '              ; the character before
next:   mov bl,[esi]
        inc esi
        cmp dl,' '
        ja within               ; a word is going on
        cmp bl,' '
        jbe within
        inc eax
within: mov dl,bl
        dec ecx
        jnz next
        ret
by_byte endp
        end start
