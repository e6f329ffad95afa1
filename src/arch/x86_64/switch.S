// SPDX-License-Identifier: Apache-2.0
// The switch from one stack to another, for x86_64; contract and offsets: arch/switch.h.
#include "arch/frame.inc"

#define SYS_arch_prctl 158
#define ARCH_SET_FS 0x1002

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

    .section .note.GNU-stack, "", @progbits
