//! The programs in which fragments and loops run.

/// Converts `a / b` to lines.
fn lines(text: &str) -> String {
    text.split(" / ")
        .filter(|line| !line.is_empty())
        .map(|line| format!("    {line}\n"))
        .collect()
}

/// The program around the text of a row: data whose lines are read in advance, and the routines that fragments call.
fn frame(body: &str) -> String {
    format!(
        "
.586
.model flat
.data
align 4096
area dd 1024 dup(0)
far_away dd 7200 dup(0)
m1 dd 0
m2 dd 0
zero dd 0
stack_at_start dd 0
counter dd 0
.code
start:
    sub esp,64
    mov stack_at_start,esp
    mov esi,offset area
touch:
    mov eax,[esi]
    add esi,32
    cmp esi,offset area+4096
    jnz touch
    mov eax,m1
    mov eax,counter
    mov eax,stack_at_start
    mov eax,[esp]
    mov eax,[esp-32]
    mov eax,[esp+32]
{body}
    mov esp,stack_at_start
    add esp,64
    ret
never:
    ret
returns:
    ret
returns_4:
    ret 4
reads_stack:
    mov eax,[esp+8]
    ret
end start
"
    )
}

/// A loop around a fragment.
pub(super) fn fragment_loop(before: &str, text: &str, iterations: u32) -> String {
    let [before, text] = [before, text].map(lines);
    frame(&format!(
        "
    mov counter,{iterations}
again_and_again:
    mov esp,stack_at_start
    mov esi,offset area
    mov edi,offset area+1028
    mov ebx,offset area+72
    mov edx,offset area+140
    mov eax,3
    mov ecx,5
{before}    not ebp
    not ebp
{text}over_line:
    not ebp
    not ebp
    dec counter
    jnz again_and_again
"
    ))
}

/// A loop that counts ECX down.
pub(super) fn counted_loop(text: &str, iterations: u32) -> String {
    frame(&format!(
        "    mov esi,offset area\n    mov ecx,{iterations}\n{}",
        lines(text)
    ))
}
