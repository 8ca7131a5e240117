export { lower } from './npc.ts';
