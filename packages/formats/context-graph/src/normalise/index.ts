export { normalise } from './graph.ts';
