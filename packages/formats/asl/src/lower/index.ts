export { lower } from './workflow.ts';
