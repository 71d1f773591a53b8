; TASM: objects with methods, static ones called directly and virtual ones through the table of the object.
        ideal
        model   small, pascal
        p286
global list method {
        construct:word = list_construct         ; a static method
        virtual insert:word = list_insert
        virtual remove:word = list_remove }
        head    dw ?
        tail    dw ?
ends    list
struc   queue list method { virtual remove:word = queue_remove
        virtual count:dword = queue_count }
        size_   dw 7
ends    queue
        dataseg
one     list    <>
;= 000000000000
two     queue   <,,,5>
;= 0000000000000500
        tblinst
;= 0700150016001010
        tblinst list
;= 07001400
        codeseg
proc    list_construct
        arg     object:word
        ret
;= 558becc9c20200
endp
proc    list_insert
        arg     object:word, item:word
        mov     si, [object]
;= 558bec8b7606
        mov     ax, [(list si).head]
;= 8b4402
        ret
;= c9c20400
endp
proc    list_remove
        ret
;= c3
endp
proc    queue_remove
        ret
;= c3
endp
proc    queue_count far
        ret
;= cb
endp
        mov     si, offset one
;= be0000
        tblinit list ptr si
;= c7041600
        tblinit two
;= c70606000e00
        call    si method list:construct pascal, si
;= 56e8d8ff
        call    si method list:insert pascal, si, ax
;= 56508b1cff17
        call    two method remove
;= 8b1e0600ff5702
        call    di method queue:count
;= 8b1dff5f04
        call    ds:di method queue:remove uses bp pascal, di
;= 578b2dff5602
        jmp     si method list:remove
;= 8b1cff6702
        call    di method queue:remove uses eax:bx pascal, di
;! eax | the address of a table is not loaded into this
;!   = write `uses` with a register, or with ES, DS, SS, FS or GS and a register: `uses es:bx`
        call    di method queue:remove uses cs:bx pascal, di
;! cs | the address of a table is not loaded into this
;!   = write `uses` with a register, or with ES, DS, SS, FS or GS and a register: `uses es:bx`
        call    di method queue:remove uses one pascal, di
;! one | the address of a table is not loaded into this
;!   = write `uses` with a register, or with ES, DS, SS, FS or GS and a register: `uses es:bx`
        call    si method list:none
;! none | `list` has no method `none`
        call    si method nothing:none
;! nothing | no object `nothing` was declared
;!   = write `struc name method { ... }` before it
        mov     ax, size queue
;= b80800
        mov     [(queue si).size_], ax
;= 894406
        end
;---
; Far tables are reached by ES and BX, and 32-bit code by EBX.
        .model  large, c
        .386
shape   struc   far method {
        virtual draw:dword = draw_it
        hide:dword = hide_it
}
        tblptr
x       dw      ?
        tblptr
;! tblptr | the pointer to the table of methods is the first field of an object here
;!   = write `tblptr` before the other fields, or leave it out
shape   ends
        .data
s       shape   <>
;= 000000000000
        tblinst
;= 00001010
        .code
draw_it proc    far c
        ret
;= cb
draw_it endp
hide_it proc    far c
        ret
;= cb
hide_it endp
        les     di, [bx]
;= c43f
        tblinit es:di
;= 26c705060026c745021310
        call    es:di method shape:draw c, di
;= 5726c41d26ff1f83c402
        call    es:di method shape:draw uses fs:si c, di
;= 57260fb43564ff1c83c402
        call    es:di method shape:hide
;= 0ee8d9ff
        end
;---
        .386
        .model  flat, c
point   struc   method { virtual move:dword = move_it }
x       dd      ?
point   ends
        .data
        tblinst point
;= 00104000
        .code
move_it proc
        ret
;= c3
move_it endp
        tblinit point ptr esi
;= c70600204000
        call    esi method point:move c, esi, 5
;= 6a05568b1eff1383c408
        end
;---
; Tables, types of procedures, parameters of any number, and values of records by name.
        .386
        .model  flat, pascal
actions table   { stop:dword = do_stop, go:dword, more:dword:2 }
unary   proctype pascal near :dword
printf  procdesc c near :dword, :?
solve   procdesc unary
flags   record  valid:3=4, mode:4, temp:8
        .data
jobs    actions {go = do_stop}
;= 00104000001040000000000000000000
f1      flags   {mode=3}
;= 0043
f2      flags   <1,2,3>
;= 0312
        .code
do_stop proc
        ret
;= c3
do_stop endp
        call    printf, offset f1, eax, ebx
;= 53506810204000e80000000083c40c
        call    solve, 5
;= 6a05e806000000
        call    solve, 5, 6
;! call | wrong number of arguments for `solve`: expected 1, found 2
        jmp     [jobs.go]
;= ff2504204000
solve   proc    pascal near value:dword
        mov     eax, value
;= 558bec8b4508
        ret
;= c9c20400
solve   endp
        end
;---
; Methods of several elements, and of types that no call takes.
        ideal
        model   small, pascal
        p386
struc   shape method {
        virtual draw[2]:word = draw_it
        virtual area:dword
        virtual hide:word = hide_it }
x       dw      7
ends    shape
struc   wide method { virtual move:qword = draw_it }
;! move | the type of method `move` is no pointer that a call takes
;!   = write `word` or `dword` as its type, or leave the type out
ends
struc   tiny method { virtual move:byte = draw_it }
;! move | the type of method `move` is no pointer that a call takes
;!   = write `word` or `dword` as its type, or leave the type out
ends
sizes   table   { one:byte = 1, two:qword = 2, three:tbyte = 3, four[2]:fword = 4 }
        dataseg
        tblinst shape
;= 00000000000000000100
all     sizes   <>
;= 01020000000000000003000000000000000000040000000000040000000000
        codeseg
draw_it: ret
;= c3
hide_it: ret
;= c3
        call    si method shape:draw
;= 8b1cff17
        call    si method shape:area
;= 8b1cff5f04
        call    si method shape:hide
;= 8b1cff5708
        jmp     si method shape:hide
;= 8b1cff6708
        jmp     si method shape:hide pascal, si
;! pascal | `jmp` to a method pushes no arguments
;!   = write `call`, or `jmp` without them
        end
;---
; A far pointer of 32-bit code, and an object in a register that an argument is pushed through.
        .386
        .model  flat, c
shape   struc   method {
        virtual draw:fword = draw_it
        virtual hide:dword = draw_it
}
shape   ends
        .data
one     shape   <>
;= 00000000
small   db      1
;= 01
        tblinst
;= 00104000000000104000
        .code
draw_it proc
        ret
;= c3
draw_it endp
        call    esi method shape:draw
;= 8b1eff1b
        call    esi method shape:hide
;= 8b1eff5306
        call    eax method shape:hide c, small
;= 0fb60504204000508b18ff530683c404
;! call | warning: `eax` has lost its value here: `small` is pushed first, by way of EAX
;!   = copy it to another register before the call, as in `mov ecx,eax`, and write that one here
        call    esi method shape:hide uses eax c, small
;= 0fb60504204000508b06ff500683c404
        end
;---
; `global` before the methods makes the table and the methods known to other modules.
        .model  small, pascal
shape   struc   global method {
        virtual draw:word = draw_it
        hide:word = hide_it
}
kind    dw      3
shape   ends
        .data
one     shape   <>
;= 00000300
        tblinst
;= 0000
        .code
draw_it proc
        ret
;= c3
draw_it endp
hide_it proc
        ret
;= c3
hide_it endp
        call    si method shape:draw
;= 8b1cff17
        end
