import { contest } from '../contest.ts';
import type { Benchmark } from '../measure.ts';
import {
  budget,
  guarding,
  remembering,
  runOf,
  tenTasks,
  thirtyTasks,
} from '../workflows/blocks.ts';

const often = { warmUp: 500, runs: 200 };

/** The cost of the blocks of a task that call no port. */
export const guardedTask: Benchmark = {
  name: 'task with Budget, Guardrails and Tools over a bare one',
  unit: '×',
  atMost: 1.5,
  prepare: () => contest(runOf(tenTasks(guarding, budget)), runOf(tenTasks({})), often),
};

/** Memory adds two calls to a task, so it is compared with bare tasks that make as many calls. */
export const rememberingTask: Benchmark = {
  name: 'task with Budget, Guardrails, Tools and Memory over three bare ones',
  unit: '×',
  atMost: 1.5,
  prepare: () =>
    contest(runOf(tenTasks({ ...guarding, ...remembering }, budget)), runOf(thirtyTasks()), often),
};

export const rememberingTaskOverOne: Benchmark = {
  name: 'task with Budget, Guardrails, Tools and Memory over one bare task',
  unit: '×',
  prepare: () =>
    contest(runOf(tenTasks({ ...guarding, ...remembering }, budget)), runOf(tenTasks({})), often),
};
