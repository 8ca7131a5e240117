import { taskBehaviour } from './behaviour.ts';
import { taskRules } from './rules.ts';
import { taskWays } from './ways.ts';
import { taskDefinition } from '../../definition/task.ts';
import type { Task } from '../../definition/index.ts';
import { compileTask, type TaskProgram } from './program.ts';
import { taskNode } from './lowering.ts';
import { readTask } from './reading.ts';
import { testTask } from './test.ts';
import type { Kind } from '../kind.ts';

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
