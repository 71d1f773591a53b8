; The comparisons of blocks follow the types of fields.
        .386
        .model  flat, stdcall
long    typedef sdword
point   struct
x       long    ?
y       dword   ?
point   ends
box     struct
low1    point   <>
high1   point   <>
box     ends
        .data
b       box     <>
;= 00000000000000000000000000000000
        .code
start:  .if     b.low1.x < 5
;= 833d00204000057d01
        nop
;= 90
        .endif
        .if     b.high1.y < 5
;= 833d0c204000057301
        nop
;= 90
        .endif
        .if     [ebx].point.x > eax
;= 39037e01
        nop
;= 90
        .endif
        .if     (point ptr [ebx]).y > eax
;= 3943047601
        nop
;= 90
        .endif
        assume  esi:ptr point
        .while  [esi].x >= ecx
;= eb01
        inc     ecx
;= 41
        .endw
;= 390e7dfb
        .while  [esi].y >= ecx
;= eb01
        inc     ecx
;= 41
        .endw
;= 394e0473fa
        ret
;= c3
        end     start
