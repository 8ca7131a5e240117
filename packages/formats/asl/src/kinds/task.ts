import { taskBehaviour } from '../behaviour/task.ts';
import { taskRules } from '../check/task.ts';
import { taskWays } from '../check/flow/task.ts';
import { taskDefinition } from '../definition/task.ts';
import type { Task } from '../definition/index.ts';
import { compileTask, type TaskProgram } from '../flow/task.ts';
import { taskNode } from '../lower/task.ts';
import { readTask } from '../normalise/task.ts';
import { testTask } from '../test-state/task.ts';
import type { Kind } from './kind.ts';

export const taskKind: Kind<Task, TaskProgram> = {
  definition: taskDefinition,
  read: readTask,
  rules: taskRules,
  ways: taskWays,
  node: taskNode,
  compile: compileTask,
  behaviour: taskBehaviour,
  test: testTask,
};
