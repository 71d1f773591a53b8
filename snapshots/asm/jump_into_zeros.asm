; A jump into memory that holds nothing, in real mode. What is executed there once is not listed to the end of memory.
; expect line = Of code executed once without a source line, 16 instructions are listed; `--all` lists 496 more.
.model small
.stack 100h
.code
start:      mov     ax,5555h
            jmp     ax
            end     start
