; Fields of records, and multiplications, as instructions.
        .286
flags   record  sign:1, kind:4, count:3, low8:8
code    segment
        assume  cs:code, ds:code
word1   flags   <>
;= 0000
        setfield kind ax, bl
;= 32ffc1cb050bc3
        setfield low8 ax, bx
;= 0bc3
        setfield sign ax, bx
;= d1cb0bc3
        setfield kind [word1], cx
;= c1c905090e0000
        getfield kind ax, word1
;= a10000c1c00583e00f
        getfield low8 al, word1
;= a1000025ff00
        getfield count bl, dx
;= 8bda86df83e307
        fastimul ax, bx, 12
;= 6bc30c
        fastimul ax, bx, 8
;= 8bc3c1e003
        fastimul ax, bx, -8
;= 8bc3c1e003f7d8
        .8086
        setfield kind ax, bl
;= 32ffd1cbd1cbd1cbd1cbd1cb0bc3
        fastimul ax, bx, 5
;= 8bc3d1e0d1e003c3
        fastimul ax, ax, 5
;! ax | the 8086 needs the source in another register to multiply by this constant
;!   = name another source, or write `.186` before it
        getfield kind ax, ch
;! ax | expected a register that is the low part of one of the record's size
;!   = use AL, BL, CL or DL, or a register as large as the record
        getfield start ax, cx
;! start | expected a field of a record
;!   = write `getfield field al, operand`
code    ends
        end
;---
        .386
flags   record  a:4, b:12, c:16
code    segment use16
        assume  cs:code
        setfield b eax, bx
;= 660fb7db66c1c310660bc3
        getfield b eax, [bx]
;= 668b0766c1c0106625ff0f0000
        getfield c cx, eax
;= 668bc86681e1ffff0000
code    ends
        end
;---
; The brace of a record may follow its first fields.
        .model  small
        .data
state   record  ready:1, open:1, {
        last:1,                 ; the last part
        odd:1                   ; an odd number
        zero:1
        }
one     state   <1, 0, 1, 0, 1>
;= 15
        .code
        mov     al, mask odd
;= b002
        end
;---
; Returns as the memory model has them, and pointers whose size says their distance once more.
        .model  medium
        .data
target  dd      0
;= 00000000
        .code
        retcode
;= cb
        retcode 4
;= ca0400
        call    far dword ptr target
;= ff1e0000
        jmp     near word ptr [bx]
;= ff27
        end
;---
; Values by name are for fields of the record, one each.
        .model  small
flags   record  first:2=1, second:3=2, third:3=3
        .data
one     flags   {first=3, third=1}
;= d1
two     flags   {first=3, thrid=1}
;! { | the record has no field `thrid`
;!   = its fields are `first`, `second`, `third`
three   flags   {first=3, 1}
;! { | `1` names no field, but other values do
;!   = write `field=1`
four    flags   {1, second=2}
;! { | `1` names no field, but other values do
;!   = write `field=1`
five    flags   {first=3, second=1, first=2}
;! { | field `first` has two values
six     flags   {FIRST=3, , third=}
;= d3
seven   flags   <3, , 1>
;= d1
        .code
        mov     al, flags <secnd=1>
;! < | the record has no field `secnd`
;!   = its fields are `first`, `second`, `third`
        mov     al, flags {first=3, third=1}
;= b0d1
        mov     al, flags {second=0} and mask second
;= b000
        end
