/** The formats that `compile`, `check`, the command, hosts and the workbench know. A new one is a line here. */
export { asl } from '@dramaturg/asl';
export { contextGraph } from '@dramaturg/context-graph';
export { lifecycle } from '@dramaturg/lifecycle';
export { npc } from '@dramaturg/npc';
export { plan } from '@dramaturg/plan';
