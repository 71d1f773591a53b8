.model tiny
.code
public elsewhere
        db 300h dup (0)
elsewhere db 0
end
