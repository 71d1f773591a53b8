; A procedure in a segment of its own.
far_code segment para public 'CODE'
        assume cs:far_code
scale   proc far
        shl ax,1
        ret
scale   endp
far_code ends
public scale
end
