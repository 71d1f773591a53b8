; Numbers have signs where the source gives one of them below zero, as words with a minus or by the type.
; expect stop = end
; expect line =   words: 2 elements of 4 changed; words[0] = -32768 (8000h), was 300; now -32768, -5, 17, 300
; expect line =   bytes: 1 element of 3 changed; bytes[2] = -3 (FDh), was 2
; expect line =   plain = 65531 (FFFBh), was 7
        .data
words   dw 300,-5,17,-32768
bytes   db -1,1,2
plain   dw 7
        .code
start:  mov ax,words
        mov bx,words+6
        mov words,bx
        mov words+6,ax
        mov bytes+2,-3
        mov plain,-5
        end start
