; Flat real mode: FS keeps the limit of 4 GiB that it was given in protected mode. A program in 16-bit code has 4 MiB,
; as int 15h tells. What was not written is 0.
; expect stop = exit 0
; expect kibibytes = 3072
; expect below16 = 3072
; expect above16 = 0
; expect first = 1000
; expect last = 7
; expect between = 0
.model tiny
.386p
.code
org 100h
start:  mov ah,88h
        int 15h
        jc quit
        mov kibibytes,ax
        mov ax,0E801h
        int 15h
        jc quit
        mov below16,cx
        mov above16,dx
        cli
        xor eax,eax
        mov ax,cs
        shl eax,4
        add eax,offset gdt
        mov dword ptr gdtr+2,eax
        lgdt fword ptr gdtr
        mov eax,cr0
        or al,1
        mov cr0,eax
        jmp short $+2
        mov bx,8
        mov fs,bx
        and al,0FEh
        mov cr0,eax
        jmp short $+2
        mov edi,110000h
        mov ecx,1000
fill:   mov fs:[edi],ecx
        add edi,4
        dec ecx
        jnz fill
        mov dword ptr fs:[3FFFFCh],7
        mov eax,fs:[110000h]
        mov first,ax
        mov eax,fs:[3FFFFCh]
        mov last,ax
        mov eax,fs:[200000h]
        mov between,eax
quit:   mov ax,4C00h
        int 21h
kibibytes dw 0
below16 dw 0
above16 dw 1
first   dw 0
last    dw 0
between dd 1
gdtr    dw 15
        dd 0
gdt     dq 0
        dw 0FFFFh,0
        db 0,92h,0CFh,0
end start
