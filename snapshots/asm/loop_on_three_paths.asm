; A loop whose body branches, calls a procedure behind the loop, and jumps on: each round is one of three paths.
; expect line = l: 8 rounds, 129 clocks in all, on 3 paths.
; expect line = 4 rounds: 10 in 2 of them, 8 to 11 in the others (mispredicted); mean 9.8.
; expect line = 3 rounds: 16 in 2 of them, 29 in the other (mispredicted).
; expect line = V is used in 5 clocks; no order takes less than 8 (ret never pairs).
; expect line = 1 round: 29 clocks.
; expect line = +5 inc ebx dec ecx waited 3: the predictor took it for a branch
        .data
tab     db 0,3,1,9,200,0,5,1
        .code
start:  mov esi,offset tab
        mov ecx,8
        xor eax,eax
        StartTSC cnt
l:      mov dl,[esi]
        inc esi
        cmp dl,2
        jb small
        inc eax
        call f
        jmp nxt
small:  inc ebx
nxt:    dec ecx
        jnz l
        EndTSC
        ret
f:      cmp dl,9
        je q
        add eax,2
q:      ret
        end start
