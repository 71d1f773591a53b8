; What stands behind a name that a macro defines is more than it takes, whatever the macro makes of the name.
;---
one     macro   name
name    dq      0
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
;---
one     macro   name
name    dt      0.0
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
;---
one     macro   name
name    byte    0
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
;---
one     macro   name
name    struct
inside  dd      ?
name    ends
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
;---
one     macro   name
name    union
inside  dd      ?
name    ends
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
;---
one     macro   name
name    record  inside:3
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
;---
one     macro   name
name    textequ <5>
        endm
        one     alpha 5
;! one | warning: too many arguments for `one`: expected 1, found 2
;!   = `one` takes one argument: `name` (optional)
        end
