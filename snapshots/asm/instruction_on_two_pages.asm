; An instruction that goes on in a page which the page tables map, but which nothing has used since CR3 was loaded, is
; fetched from both. The second page is marked as accessed only then. If it is not there, or belongs to the system, the
; fault names it rather than the instruction.
; expect stop = halt
; expect before = 0
; expect within = 0
; expect read = 305419896
; expect after = 32
; expect absent_faults = 1
; expect absent_code = 0
; expect absent_second = 1
; expect absent_at = 4093
; expect absent_read = 305419896
; expect system_faults = 1
; expect system_code = 5
; expect system_second = 1
; expect system_at = 4093
.586p
.model flat
.data
align 8
gdt         dq 0
            dw 0FFFFh, 0, 9A00h, 0CFh   ; 08h: code
            dw 0FFFFh, 0, 9200h, 0CFh   ; 10h: data
task_entry  dw 67h, 0, 8900h, 0         ; 18h
            dw 0FFFFh, 0, 0FA00h, 0CFh  ; 20h: code of level 3
            dw 0FFFFh, 0, 0F200h, 0CFh  ; 28h: data of level 3
gdtr        dw 2Fh
            dd offset gdt
idt         dq 15 dup(0)
idtr        dw 15*8-1
            dd offset idt
align 4
task        dd 26 dup(0)
before      dd 1
within      dd 1
read        dd 0
after       dd 0
absent_faults dd 0
absent_code dd 1
absent_second dd 0
absent_at   dd 0
absent_read dd 0
system_faults dd 0
system_code dd 1
system_second dd 0
system_at   dd 0
entry       dd 0                        ; where the entry of the second page is
second      dd 0                        ; the second page
is_system   dd 0
; From the first multiple of 4096 on: the page directory, two page tables, the two pages.
room        db 6*4096 dup(0)
.code
; mov eax,12345678h and ret, in the last three bytes of the first page and in the second; before them a jump that ends
; the page.
across      db 0B8h, 78h, 56h, 34h, 12h, 0C3h
ends_page   db 0EBh, 0FDh               ; jmp to the byte before it

; Whether the second page is marked as accessed.
marked      macro   where
        mov     ebx,entry
        mov     eax,[ebx]
        and     eax,20h
        mov     where,eax
        endm
; Forgets what was translated.
forget      macro
        mov     eax,cr3
        mov     cr3,eax
        endm
; The instructions of `code` to the end of the first page, as far as it has room.
put         macro   code, length, ahead
        lea     esi,code
        mov     edi,second
        sub     edi,ahead
        mov     ecx,length
        rep     movsb
        endm

start:  mov     eax,offset task
        mov     task_entry+2,ax
        shr     eax,16
        mov     byte ptr task_entry+4,al
        mov     dword ptr task+4,esp
        sub     dword ptr task+4,4096
        mov     dword ptr task+8,10h
        mov     eax,offset fault
        mov     word ptr idt[14*8],ax
        mov     word ptr idt[14*8+2],8
        mov     word ptr idt[14*8+4],8E00h
        shr     eax,16
        mov     word ptr idt[14*8+6],ax
        lgdt    fword ptr gdtr
        lidt    fword ptr idtr
        mov     ax,18h
        ltr     ax
; Each page of the first 8 MiB is where it seems to be.
        lea     edi,room+4095
        and     edi,-4096
        lea     eax,[edi+4096+7]
        mov     [edi],eax
        add     eax,4096
        mov     [edi+4],eax
        mov     eax,7
        xor     ecx,ecx
page_of:
        mov     [edi+4096+ecx*4],eax
        add     eax,4096
        inc     ecx
        cmp     ecx,2048
        jb      page_of
        lea     eax,[edi+4*4096]
        mov     second,eax
        shr     eax,12
        lea     eax,[edi+4096+eax*4]
        mov     entry,eax
        mov     ebx,edi
        put     across, 6, 3
; In use before the tables are: the entry is clean.
        mov     cr3,ebx
        marked  before
        put     ends_page, 2, 2
        mov     eax,second
        mov     byte ptr [eax-3],0C3h   ; ret
        dec     eax
        dec     eax
        call    eax
        marked  within
        mov     eax,second
        mov     byte ptr [eax-3],0B8h
        mov     word ptr [eax-2],5678h
        call    across_at
        mov     read,eax
        marked  after
; The same page is absent.
        mov     ebx,entry
        mov     eax,[ebx]
        and     eax,-2
        mov     [ebx],eax
        forget
        call    across_at
        mov     absent_read,eax
; It belongs to the system.
        mov     ebx,entry
        mov     eax,[ebx]
        and     eax,-5
        mov     [ebx],eax
        forget
        mov     is_system,1
        mov     ax,2Bh
        mov     ds,ax
        push    2Bh
        push    esp
        push    23h
        lea     eax,across_at
        push    eax
        retf
across_at:
        mov     eax,second
        sub     eax,3
        jmp     eax

fault:  push    eax
        push    ebx
        mov     eax,cr2
        sub     eax,second
        cmp     eax,1                   ; 1 if it is 0
        sbb     eax,eax
        neg     eax
        mov     ebx,[esp+12]
        and     ebx,0FFFh
        cmp     is_system,0
        jne     of_system
        inc     absent_faults
        mov     absent_second,eax
        mov     absent_at,ebx
        mov     eax,[esp+8]
        mov     absent_code,eax
        mov     ebx,entry
        or      dword ptr [ebx],1
        pop     ebx
        pop     eax
        add     esp,4
        iretd
of_system:
        inc     system_faults
        mov     system_second,eax
        mov     system_at,ebx
        mov     eax,[esp+8]
        mov     system_code,eax
        hlt
        end     start
