/** The formats that `compile`, `check`, the command, hosts and the workbench know. A new one is a line here.
 *  Bundlers and browsers take this list. In Node, `#formats` is a list of the same formats that loads each when it is first used. */
export { asl } from '@dramaturg/asl';
export { contextGraph } from '@dramaturg/context-graph';
export { lifecycle } from '@dramaturg/lifecycle';
export { npc } from '@dramaturg/npc';
export { plan } from '@dramaturg/plan';
