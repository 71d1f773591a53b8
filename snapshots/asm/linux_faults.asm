; What a Linux program raises by an instruction: a misaligned access with the alignment flag set, an interrupt that is
; no service, and a frame that leads to segments which the program does not have. Each has a handler, and the frame of
; the first two says that the instruction is to be executed again; without a handler, the last one ends the program.
; with cpl = 3
; expect stop = signal 11
; expect line = ended by raising SIGSEGV, exit code 139 in a shell
; expect aligned = 1
; expect misaligned = 1
; expect misaligned_at = 0
; expect misaligned_vector = 17
; expect misaligned_flags = 50000h
; expect interrupted = 128
; expect interrupted_error = 40Ah
; expect interrupted_flags = 10000h
; expect called_flags = 0
; expect back = 1
; expect back_code = 128
; expect back_vector = 0
.586
.model flat
.data
            align   4
bus         dd offset on_bus, 4, 0, 0, 0
fault       dd offset on_fault, 4, 0, 0, 0
plain       dd offset on_plain, 4, 0, 0, 0
broken      dd offset on_broken, 0, 0, 0, 0
of_return   dd offset on_return, 4, 0, 0, 0
default     dd 0, 0, 0, 0, 0
numbers     dd 11223344h, 55667788h
aligned     dd 0
misaligned  dd 0
misaligned_at dd -1
misaligned_vector dd 0
misaligned_flags dd 0
interrupted dd 0
interrupted_error dd 0
interrupted_flags dd 0
called_flags dd -1
back        dd 0
back_code   dd 0
back_vector dd -1
lowest      dd 0
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
; The flags of a context that say whether alignment is checked, and whether an instruction is executed again.
flags_of    macro   where
            mov     ecx,[eax+20+16*4]
            and     ecx,50000h
            mov     where,ecx
            endm

start:      action  7, bus
            action  11, fault
            action  10, plain
            pushfd
            or      dword ptr [esp],40000h
            popfd
            mov     eax,numbers
            cmp     eax,11223344h
            sete    byte ptr aligned
            mov     eax,numbers+1
            pushfd
            and     dword ptr [esp],not 40000h
            popfd
; Without the flag it is but slow.
            mov     eax,numbers+1
            int     81h
            call_of 238, 1, 10, 0
; The handler of signal 12 breaks its frame, once with a handler for that and once without.
            action  11, of_return
            action  12, broken
            mov     lowest,esp
            call_of 238, 1, 12, 0
            hlt
returned:   action  11, default
            call_of 238, 1, 12, 0
            hlt

on_bus:     inc     misaligned
            mov     eax,[esp+8]
            mov     ecx,[eax+12]
            mov     misaligned_at,ecx
            mov     eax,[esp+12]
            mov     ecx,[eax+20+12*4]
            mov     misaligned_vector,ecx
            flags_of misaligned_flags
            add     dword ptr [eax+20+14*4],5
            ret

on_fault:   mov     eax,[esp+8]
            mov     ecx,[eax+8]
            mov     interrupted,ecx
            mov     eax,[esp+12]
            mov     ecx,[eax+20+13*4]
            mov     interrupted_error,ecx
            flags_of interrupted_flags
            add     dword ptr [eax+20+14*4],2
            ret

on_plain:   mov     eax,[esp+12]
            flags_of called_flags
            ret

; The selector of DS in a plain frame.
on_broken:  mov     dword ptr [esp+8+3*4],0FFF8h
            ret

on_return:  inc     back
            mov     eax,[esp+8]
            mov     ecx,[eax+8]
            mov     back_code,ecx
            mov     eax,[esp+12]
            mov     ecx,[eax+20+12*4]
            mov     back_vector,ecx
            mov     ecx,lowest
            mov     [eax+20+7*4],ecx
            mov     dword ptr [eax+20+14*4],offset returned
            ret
            end     start
