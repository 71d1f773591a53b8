; A monitor in 32-bit code runs 16-bit code in virtual 8086 mode, first at IOPL 0, then at IOPL 3, with page tables of
; its own. What the mode does not allow comes to the handler of general protection faults.
; expect stop = halt
; expect refused_cli = 1
; expect refused_sti = 1
; expect refused_pushf = 1
; expect refused_int = 1
; expect refused_rdtsc = 1
; expect refused_hlt = 1
; expect last_code = 0
; expect served = 3
; expect interrupt_flag = 0
; expect counted = 1
; expect sum = 55
; expect alias = 1234
.586p

data    segment para public use16 'DATA'
gdt             dq 0
code_low        dw 0FFFFh, 0                    ; 08h: the monitor
code_high       dw 9A00h, 40h
                dw 0FFFFh, 0, 9200h, 0CFh       ; 10h: all of memory
task_low        dw 67h, 0                       ; 18h: the task
task_high       dw 8900h, 0
data_low        dw 0FFFFh, 0                    ; 20h: this segment
data_high       dw 9200h, 0
idt             dq 64 dup(0)
gdtr            dw 39
                dd 0
idtr            dw 64*8-1
                dd 0
task            dd 26 dup(0)
refused_cli     dd 0
refused_sti     dd 0
refused_pushf   dd 0
refused_int     dd 0
refused_rdtsc   dd 0
refused_hlt     dd 0
last_code       dd 1
served          dd 0
interrupt_flag  dd 1
counted         dd 0
sum             dd 0
alias           dd 0
data    ends

; From the first multiple of 4096 on: the page directory, a page table, a page for level 3.
tables  segment para public use16 'TABLES'
                db 4*4096 dup(0)
tables  ends
low_pages       equ 4096
shared          equ 2*4096

stacks  segment para stack use16 'STACK'
                db 1024 dup(0)
stacks  ends

code    segment para public use16 'CODE'
        assume  cs:code, ds:data

; The base of segment `name` into a descriptor.
base_of macro   name, low, high
        xor     eax,eax
        mov     ax,name
        shl     eax,4
        mov     low+2,ax
        shr     eax,16
        mov     byte ptr high,al
        endm

start:  mov     ax,data
        mov     ds,ax
        base_of code32, code_low, code_high
        base_of data, data_low, data_high
        xor     ebx,ebx
        mov     bx,data
        shl     ebx,4
        lea     eax,[ebx+offset gdt]
        mov     dword ptr gdtr+2,eax
        lea     eax,[ebx+offset idt]
        mov     dword ptr idtr+2,eax
        lea     eax,[ebx+offset task]
        mov     task_low+2,ax
        shr     eax,16
        mov     byte ptr task_high,al
        movzx   ebp,sp
        xor     eax,eax
        mov     ax,ss
        shl     eax,4
        add     ebp,eax
        cli
        lgdt    fword ptr gdtr
        lidt    fword ptr idtr
        mov     eax,cr0
        or      al,1
        mov     cr0,eax
        jmp     8:monitor

; At IOPL 0 none of these is executed.
refused label   near
        cli
        sti
        pushf
        int     21h
        rdtsc
        hlt

; At IOPL 3, with RDTSC allowed at every level.
allowed label   near
        sti
        cli
        pushf
        pop     bx
        and     bx,200h
        int     30h
        int     30h
        rdtsc
        mov     si,ax
        rdtsc
        cmp     ax,si
        mov     dx,0
        setne   dl
        int     30h
        mov     ax,9000h
        mov     es,ax
        mov     di,es:[0]                       ; the page at `shared`
        xor     ax,ax
        mov     cx,10
again:  add     ax,cx
        loop    again
        int     31h
code    ends

code32  segment para public use32 'CODE'
        assume  cs:code32, ds:data

; A gate of the interrupt table: its vector, its access byte, its handler.
gate    macro   vector, access, handler
        mov     word ptr idt[vector*8],offset handler
        mov     word ptr idt[vector*8+2],8
        mov     word ptr idt[vector*8+4],access*256
        endm

; Enters virtual 8086 mode at `first` of the 16-bit code with these flags.
enter_v86 macro flags, first
        mov     task[4],esp
        mov     task[8],10h
        push    0                               ; GS
        push    0                               ; FS
        push    0                               ; DS
        push    0                               ; ES
        push    stacks                          ; SS
        push    400h                            ; ESP
        push    flags
        push    code                            ; CS
        push    offset first
        iretd
        endm

monitor:
        mov     ax,10h
        mov     ss,ax
        mov     esp,ebp
        mov     es,ax
        mov     ax,20h
        mov     ds,ax
        gate    0Dh, 8Eh, protection
        gate    30h, 0EEh, service
        gate    31h, 0EEh, finish
        mov     ax,18h
        ltr     ax
; The first MiB is where it seems to be, for level 3; the page at 90000h is at `shared`.
        mov     edi,tables
        shl     edi,4
        add     edi,4095
        and     edi,-4096
        lea     eax,[edi+low_pages+7]
        mov     es:[edi],eax
        mov     eax,7
        xor     ecx,ecx
page_of:
        mov     es:[edi+low_pages+ecx*4],eax
        add     eax,4096
        inc     ecx
        cmp     ecx,256
        jb      page_of
        mov     dword ptr es:[edi+shared],1234
        lea     eax,[edi+shared+7]
        mov     es:[edi+low_pages+90h*4],eax
        mov     cr3,edi
        mov     eax,cr0
        or      eax,80000000h
        mov     cr0,eax
        mov     eax,cr4
        or      eax,4                           ; RDTSC at level 0 alone
        mov     cr4,eax
        enter_v86 20202h, refused
second: mov     eax,cr4
        and     eax,not 4
        mov     cr4,eax
        enter_v86 23202h, allowed

; The stack behind PUSHAD: error code, EIP, CS, EFLAGS, ESP, SS, ES, DS, FS, GS.
protection:
        pushad
        mov     eax,20h
        mov     ds,ax
        mov     eax,10h
        mov     es,ax
        mov     eax,[esp+32]
        mov     last_code,eax
        movzx   eax,word ptr [esp+40]
        shl     eax,4
        add     eax,[esp+36]
        mov     dx,es:[eax]
        cmp     dl,0FAh
        jne     not_cli
        inc     refused_cli
        jmp     skip_1
not_cli:
        cmp     dl,0FBh
        jne     not_sti
        inc     refused_sti
        jmp     skip_1
not_sti:
        cmp     dl,9Ch
        jne     not_pushf
        inc     refused_pushf
        jmp     skip_1
not_pushf:
        cmp     dl,0CDh
        jne     not_int
        inc     refused_int
        jmp     skip_2
not_int:
        cmp     dx,310Fh
        jne     not_rdtsc
        inc     refused_rdtsc
        jmp     skip_2
not_rdtsc:
        cmp     dl,0F4h
        jne     fails
        inc     refused_hlt
        add     esp,32+4+9*4
        jmp     second
skip_2: inc     dword ptr [esp+36]
skip_1: inc     dword ptr [esp+36]
        popad
        add     esp,4
        iretd
fails:  hlt

service:
        push    eax
        mov     eax,20h
        mov     ds,ax
        inc     served
        pop     eax
        iretd
finish: mov     ecx,20h
        mov     ds,cx
        movzx   eax,ax
        mov     sum,eax
        movzx   ebx,bx
        mov     interrupt_flag,ebx
        movzx   edx,dx
        mov     counted,edx
        movzx   edi,di
        mov     alias,edi
        hlt
code32  ends
        end     start
