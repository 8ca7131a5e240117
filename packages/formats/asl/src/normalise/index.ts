export { normalise } from './workflow.ts';
