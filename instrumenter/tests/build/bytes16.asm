; Bytes of offsets, here and of another module, and libraries for the linker.
.model tiny
includelib graph.lib
includelib <c.lib>
extrn elsewhere:byte
.code
org 100h
start:  mov al,low offset table
        mov ah,high offset table
        mov bl,low (offset elsewhere + 3)
        ret
table   db low offset start,high offset start
        db low (offset table + 1),high offset elsewhere
end start
