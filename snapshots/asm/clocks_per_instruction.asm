; Clocks per instruction that are not halted, and nominal ones, of a procedure that prints a text and of one that prints
; a real, truncated; and the divisions of the three counts of another machine. A procedure without instructions but its
; return has figures, too, and a division by nothing is 0.
; with monitor = perfmon
; with core_ratio = 3/1
; expect stop = return
; expect line = | the float is: 1.332999
; expect unhalted = 24
; expect nominal = 22
; expect nothing = 0
; expect too_much = 4294967295
; expect ratio_kept = 1
        .586p
        .model  flat
        include perfmon.inc
        .data
figures  dd 6 dup(0)
unhalted dd 0
nominal  dd 0
nothing  dd 1
too_much dd 0
ratio_kept dd 0
        .code
empty:  ret
measure macro   procedure, place
        mov     esi,offset procedure
        call    get_unhalted_cpi
        mov     figures[place],eax
        mov     esi,offset procedure
        call    get_nominal_cpi
        mov     figures[place+4],eax
        endm
start:  measure test_func,0
        measure test_print_float,8
        measure empty,16
        mov     eax,39ABh
        xor     edx,edx
        mov     esi,254h
        call    perfmon_divide
        mov     unhalted,eax
        mov     eax,33E4h
        call    perfmon_divide
        mov     nominal,eax
        xor     esi,esi
        call    perfmon_divide
        mov     nothing,eax
        mov     esi,1
        mov     edx,1
        call    perfmon_divide
        mov     too_much,eax
; Three clocks of the core are one reference clock.
        mov     eax,figures[16]
        xor     edx,edx
        mov     ecx,3
        div     ecx
        cmp     eax,figures[20]
        sete    byte ptr ratio_kept
        ret
        end     start
