; A Linux program raises signals for itself. Its handlers run, one with the number and one with information, and come
; back to registers, flags and a floating-point unit as they were; a signal that is held back waits; one that is ignored
; does nothing; a fault with a handler is a signal, too; one that nobody handles ends the program.
; expect stop = signal 6
; expect output = "first second \n"
; expect line = ended by raising SIGABRT, exit code 134 in a shell (linux_signals.asm:135); refused: tkill (ENOSYS)
; expect handled = 10
; expect informed = 12
; expect informed_origin = -6
; expect answer = 0
; expect carry = 1
; expect kept = 87654321
; expect pi_back = 1
; expect waited = 0
; expect pending = 11
; expect held = 512
; expect nobody = -3
; expect no_number = -22
; expect stops = -38
; expect uncatchable = -22
; expect divided = 1
; expect divided_at = 1
; expect divided_vector = 0
; expect reached = 1
; expect read_code = 1
; expect read_at = 2FFFFCh
; expect read_vector = 14
.586
.model flat
.data
plain_action label dword
            dd offset plain, 0, 0, 0, 0
informing   dd offset inform, 40000004h, 0, 0, 0
ignoring    dd 1, 0, 0, 0, 0
dividing    dd offset divide, 4, 0, 0, 0
reading     dd offset access, 4, 0, 0, 0
set         dd 200h, 0                  ; signal 10
old_set     dd -1, -1
first       db 'first '
second      db 'second ',10
handled     dd 0
informed    dd 0
informed_origin dd 0
answer      dd -1
carry       dd 0
kept        dd 0
pi_back     dd 0
waited      dd -1
pending     dd 0
held        dd 0
nobody      dd 0
no_number   dd 0
stops       dd 0
uncatchable dd 0
divided     dd 0
divided_at  dd 0
divided_vector dd -1
reached     dd 0
read_code   dd 0
read_at     dd 0
read_vector dd 0
.code
call_of     macro   number, b, c, d
            mov     eax,number
            mov     ebx,b
            mov     ecx,c
            mov     edx,d
            int     80h
            endm
action      macro   signal, what
            mov     esi,8
            call_of 174, signal, <offset what>, 0
            endm
mask        macro   how
            mov     esi,8
            call_of 175, how, <offset set>, <offset old_set>
            endm
say         macro   text, length
            call_of 4, 1, <offset text>, length
            endm

start:      action  10, plain_action
            action  12, informing
            action  15, ignoring
            action  9, plain_action
            mov     uncatchable,eax
; Signal 10 by tkill, with all that a handler may destroy.
            fldpi
            mov     edi,87654321
            stc
            mov     eax,238
            mov     ebx,1
            mov     ecx,10
            int     80h
            setc    byte ptr carry
            mov     answer,eax
            mov     kept,edi
            fldpi
            fcompp
            fnstsw  ax
            sahf
            sete    byte ptr pi_back
; Signal 12 by tgkill.
            call_of 270, 1, 1, 12
            say     second, 8
; Signal 10 is held back, and delivered when it no longer is. Its handler tells what is held back then.
            mov     handled,0
            mask    0
            call_of 37, 1, 10, 0
            mov     eax,handled
            mov     waited,eax
            mask    1
            mov     eax,handled
            inc     eax
            mov     pending,eax
            mov     eax,old_set
            mov     held,eax
; A division by zero and a read below the stack, whose handlers skip the instruction.
            action  8, dividing
            action  11, reading
            mov     ecx,0
by_zero:    div     ecx
            inc     reached
            mov     ecx,2FFFFCh
            mov     eax,[ecx]
; Neither is there anybody else, nor such a signal, nor anybody who lets a stopped program continue.
            call_of 37, 2, 10, 0
            mov     nobody,eax
            call_of 238, 1, 65, 0
            mov     no_number,eax
            call_of 238, 1, 19, 0
            mov     stops,eax
            call_of 37, 0, 15, 0
            call_of 37, 0, 17, 0
            call_of 238, 1, 6, 0
            hlt

plain:      mov     eax,[esp+4]
            mov     handled,eax
            cmp     answer,-1
            jne     plain_end
            say     first, 6
            mov     edi,0
            fldz
            fldz
            clc
plain_end:  ret

inform:     mov     eax,[esp+4]
            mov     informed,eax
            mov     eax,[esp+8]
            mov     eax,[eax+8]
            mov     informed_origin,eax
            ret

; The code of the reason, the address and the vector; what follows is two bytes further on.
told        macro   code, place, vector
            mov     eax,[esp+8]
            mov     ecx,[eax+8]
            mov     code,ecx
            mov     ecx,[eax+12]
            mov     place,ecx
            mov     eax,[esp+12]
            mov     ecx,[eax+20+12*4]
            mov     vector,ecx
            add     dword ptr [eax+20+14*4],2
            endm
divide:     told    divided, divided_at, divided_vector
            mov     eax,divided_at
            sub     eax,offset by_zero
            cmp     eax,1
            sbb     eax,eax
            neg     eax
            mov     divided_at,eax
            ret
access:     told    read_code, read_at, read_vector
            ret
            end     start
