; What follows from a missing file or an unknown type is not told as often as it is met.
;---
        .386
        .model  flat
        include missing.inc
;! include missing.inc | cannot include `missing.inc`: only one text was given, without files to include
;!   = errors about undefined names may follow from this, 5 of which are not shown
        include MISSING.INC
        .data
a       dd      LIMIT1
b       dd      LIMIT2, LIMIT3
point   VEC     <1, 2>
;! VEC | undefined structure `VEC`
        .code
start:  SETUP
;! SETUP | unknown instruction, directive or macro `SETUP`
;!   = did you mean `setnp`?
        FINISH  5
;! FINISH | unknown instruction, directive or macro `FINISH`
;!   = did you mean `finit`?
        mov     eax, point
        mov     eax, LIMIT4
;! LIMIT4 | undefined symbol `LIMIT4`
        mov     eax, LIMIT5
        mov     eax, LIMIT6
        end     start
;---
        .386
        .model  flat, c
        extrn   one:NOTYPE, two:dword
;! NOTYPE | `NOTYPE` is not a type
        .data
value   NOSUCH  <1>
;! NOSUCH | undefined structure `NOSUCH`
        .code
f       proc    a:NOSUCH, b:dword
;! NOSUCH | `NOSUCH` is not a type (one of 2 places)
;!   = write `dword`, `word`, `byte`, `ptr` or a structure name
        local   c1:NOSUCH
        mov     eax, a
        mov     eax, c1
        mov     eax, b
        mov     eax, value
        mov     eax, one
        ret
f       endp
        end
