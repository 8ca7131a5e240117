export { compileCondition } from '../choice.ts';
