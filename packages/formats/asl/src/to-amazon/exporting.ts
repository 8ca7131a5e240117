import type { JsonObject, Path } from '@dramaturg/compiler';
import type { QueryLanguage } from '../definition/field.ts';

/** Something that Amazon Step Functions cannot run. */
export interface Gap {
  /** Where it is in the workflow as authored. */
  readonly path: Path;
  readonly message: string;
  /** The next thing to do. */
  readonly hint: string;
}

/** Replacements for parts that Amazon does not have. Nothing is replaced or left out unless requested. */
export interface AmazonOptions {
  /** `lambda`: an agent is a Lambda function. */
  readonly agents?: 'lambda' | undefined;
  /** An approval is a task that waits for a token: a message to a queue, or a call of a Lambda function. */
  readonly approvals?: 'sqs' | 'lambda' | undefined;
  /** Leaves out fields that Amazon does not have. States that Amazon does not have stay gaps. */
  readonly leaveOut?: boolean | undefined;
}

/** Collects the gaps of one export. */
export class Exporting {
  readonly options: AmazonOptions;
  readonly gaps: Gap[] = [];

  constructor(options: AmazonOptions) {
    this.options = options;
  }

  cannot(path: Path, message: string, hint: string): void {
    this.gaps.push({ path, message, hint });
  }

  /** A field that the export does not have. */
  lacksField(field: string, path: Path): void {
    if (this.options.leaveOut !== true)
      this.cannot(
        path,
        `Amazon has no field "${field}" here.`,
        'Take it out, or leave such fields out of the export with --leave-out.',
      );
  }
}

/** The data that a state needs from the workflow around it. */
export interface Surroundings {
  readonly exporting: Exporting;
  readonly language: QueryLanguage;
  readonly machine: (machine: JsonObject, at: Path, around: Surroundings) => JsonObject;
}
