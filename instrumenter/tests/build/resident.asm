; The usual end of a program that stays in memory: paragraphs computed from a distance, with a label that comes later.
.model tiny
.code
org 100h
start: jmp init
isr: iret
init: mov dx,(offset last-offset start+10Fh) shr 4
 mov ax,offset isr
 int 27h
 dw (last-start)/2
last:
end start
