import { asl } from '@dramaturg/asl';
import type { AnyFormat } from '@dramaturg/compiler';
import { contextGraph } from '@dramaturg/context-graph';
import { lifecycle } from '@dramaturg/lifecycle';
import { npc } from '@dramaturg/npc';
import { plan } from '@dramaturg/plan';

/** The kinds of definition that `compile`, `check` and the command know. A new one is a line here. */
export const formats: readonly AnyFormat[] = [plan, asl, npc, contextGraph, lifecycle];
