// SPDX-License-Identifier: Apache-2.0
// The two places where an execution leaves a stack, for x86_64; contracts and offsets: arch/switch.h.

#define SYS_arch_prctl 158
#define ARCH_SET_FS 0x1002
#define SYS_futex 202
#define FUTEX_WAIT_PRIVATE 128
#define DOOR_SUMMONED 0
#define DOOR_AWAY 4
#define DOOR_STACK_TOP 8

// Makes a Frame on the stack; the return address is there already. The CFI says where each register
// of the caller is, so that unwinding and debuggers cross the switch.
.macro save_frame
    pushq   %rbp
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbp, 0
    pushq   %rbx
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %rbx, 0
    pushq   %r12
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r12, 0
    pushq   %r13
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r13, 0
    pushq   %r14
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r14, 0
    pushq   %r15
    .cfi_adjust_cfa_offset 8
    .cfi_rel_offset %r15, 0
    subq    $8, %rsp
    .cfi_adjust_cfa_offset 8
    stmxcsr (%rsp)                      // rounding and exceptions of SSE
    fnstcw  4(%rsp)                     // and of x87
.endm

// Takes a Frame off the stack and returns to its address.
.macro restore_frame_and_return
    ldmxcsr (%rsp)
    fldcw   4(%rsp)
    addq    $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq    %r15
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r15
    popq    %r14
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r14
    popq    %r13
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r13
    popq    %r12
    .cfi_adjust_cfa_offset -8
    .cfi_restore %r12
    popq    %rbx
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbx
    popq    %rbp
    .cfi_adjust_cfa_offset -8
    .cfi_restore %rbp
    ret                                 // both sides called from like places: well predicted
.endm

    .text

// void weft_switch(Context* from, const Context* to, void* thread_pointer)
    .globl  weft_switch
    .hidden weft_switch
    .type   weft_switch, @function
    .p2align 4
weft_switch:
    .cfi_startproc
    endbr64
    save_frame
    movq    %rsp, (%rdi)                // *from is whole
    movq    (%rsi), %rsp                // and this is *to, with a frame of the same form
    cmpb    $0, weft_has_wrfsbase(%rip)
    je      1f
    wrfsbase %rdx                       // all thread-local storage is the other's from here
    .cfi_remember_state
2:
    restore_frame_and_return
    .cfi_restore_state
1:
    movq    %rdx, %rsi
    movl    $ARCH_SET_FS, %edi
    movl    $SYS_arch_prctl, %eax
    syscall
    jmp     2b
    .cfi_endproc
    .size   weft_switch, . - weft_switch

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
