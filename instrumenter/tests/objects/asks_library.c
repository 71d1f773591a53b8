/* What asks.c calls, without debugging information. */
int calls[4];
int last;
void note_call(void)
{
    calls[1]++;
    last = 7;
}
