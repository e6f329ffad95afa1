// SPDX-License-Identifier: Apache-2.0
// How an execution leaves its home asleep, for x86_64; contract and offsets: arch/switch.h.
#include "arch/frame.inc"

#define SYS_futex 202
#define FUTEX_WAIT_PRIVATE 128
#define DOOR_SUMMONED 0
#define DOOR_AWAY 4
#define DOOR_STACK_TOP 8

    .text

// void weft_leave_home(Context* context, Door* door)
    .globl  weft_leave_home
    .hidden weft_leave_home
    .type   weft_leave_home, @function
    .p2align 4
weft_leave_home:
    .cfi_startproc
    endbr64
    save_frame
    movq    %rdi, %r12                  // kept over system calls, and nobody's any more
    movq    %rsi, %r13
    movq    %rsp, (%r12)                // *context is whole
    .cfi_remember_state
    movq    DOOR_STACK_TOP(%r13), %rsp  // a signal that arrives here finds a stack of its own
    .cfi_undefined %rip                 // nothing called us here: the end of any backtrace
    movl    $1, DOOR_AWAY(%r13)         // from here on the fiber may run elsewhere
weft_home_asleep:
    cmpl    $0, DOOR_SUMMONED(%r13)
    jne     weft_home_summoned
    xorl    %r10d, %r10d                // no time-out
    xorl    %edx, %edx                  // sleep while `summoned` is 0
    movl    $FUTEX_WAIT_PRIVATE, %esi
    leaq    DOOR_SUMMONED(%r13), %rdi
    movl    $SYS_futex, %eax
    syscall
    jmp     weft_home_asleep
weft_home_summoned:
    movl    $0, DOOR_SUMMONED(%r13)     // ours alone now: who summons owns the fiber until here
    movl    $0, DOOR_AWAY(%r13)
    movq    (%r12), %rsp                // onto the fiber's stack; the thread pointer is right
    .cfi_restore_state
    restore_frame_and_return
    .cfi_endproc
    .size   weft_leave_home, . - weft_leave_home

    .section .note.GNU-stack, "", @progbits
