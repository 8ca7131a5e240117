import type { JsonObject } from '@dramaturg/compiler';
import {
  action,
  annotation,
  decision,
  exit,
  graphOf,
  recall,
  reflection,
  toolCall,
} from './build.ts';

/** The graphs of the specification’s cases, with its short names. */

/** Three action states; both exits of `diagnose` lead to one state. */
export const it = graphOf(
  action('greeting', ['Say hello', 'Ask what is wrong'], [exit('diagnose')]),
  action(
    'diagnose',
    ['Ask back', 'Suggest a fix', 'Walk through it'],
    [exit('wrap_up', 'It is solved'), exit('wrap_up', 'It needs a human')],
  ),
  action('wrap_up', ['Sum up and say goodbye']),
);

const desk = (name: string, ...others: JsonObject[]) =>
  action(
    name,
    ['Ask for details', 'Walk through the fix'],
    [
      exit('wrap_up', 'It is solved'),
      exit('route_issue', 'It is about something else'),
      exit('wrap_up', 'The user asks to stop'),
      ...others,
    ],
  );

/** The states of `all`, with the parts that some cases change. */
export function allStates({
  hardwareExit = 'route_issue',
  queries = { queries: ['previous issues', 'devices'] },
}: { readonly hardwareExit?: string; readonly queries?: JsonObject } = {}): JsonObject[] {
  return [
    action(
      'greeting',
      ['Say hello', 'Ask what is wrong'],
      [
        exit('recall_user_history', 'The issue is described'),
        exit('set_urgency_context', 'The user cannot work'),
        exit('wrap_up', 'The user asks to stop'),
      ],
    ),
    recall('recall_user_history', 'analyze_symptoms', queries),
    annotation('set_urgency_context', 'route_issue'),
    reflection('analyze_symptoms', 'route_issue'),
    decision('route_issue', [
      exit('lookup_user_account', 'It is about an account'),
      exit('hardware_support', 'It is about hardware'),
      exit('general_support', 'It is about anything else'),
    ]),
    toolCall('lookup_user_account', 'account_support', 'persisted', {
      designated_tool_call_validations: ['The address is one'],
    }),
    desk('account_support'),
    action(
      'hardware_support',
      ['Ask which device', 'Walk through the fix'],
      [
        exit('wrap_up', 'It is solved'),
        exit(hardwareExit, 'It is about something else'),
        exit('wrap_up', 'The user asks to stop'),
      ],
    ),
    desk('general_support'),
    action('wrap_up', ['Sum up and say goodbye']),
  ];
}

/** Every type of state. */
export const all = graphOf(...allStates());

/** A check-in that reflects on its findings before it decides. */
export const med = graphOf(
  action(
    'check_chest_pain',
    ['Ask about pain', 'Ask since when'],
    [
      exit('patient_questions', 'Nothing of concern'),
      exit('reflect_on_session_data', 'Something of concern'),
    ],
  ),
  reflection('reflect_on_session_data', 'determine_exercise_clearance'),
  decision('determine_exercise_clearance', [
    exit('summarize_recommendations_approved', 'All criteria are met'),
    exit('summarize_recommendations_disqualified', 'Something disqualifies'),
  ]),
  action('summarize_recommendations_approved', ['Approve', 'Explain'], [exit('patient_questions')]),
  action(
    'summarize_recommendations_disqualified',
    ['Explain', 'Refer'],
    [exit('patient_questions')],
  ),
  action('patient_questions', ['Answer', 'Ask back'], [exit('end_session')]),
  action('end_session', ['Say goodbye']),
);

const intakeId = 'aaaaaaaaaaaaaaaaaaaaaaaa';

/** A graph that calls another one. The cases vary the target and the jumpback. */
export function parent(target = 'intake.ask_name > pick_slot', ...more: JsonObject[]): JsonObject {
  return {
    ...graphOf(
      action(
        'open_desk',
        ['Greet', 'Ask'],
        [exit(target, 'Wants a slot'), exit('answer_question')],
      ),
      ...more,
      action(
        'pick_slot',
        ['Offer slots', 'Confirm'],
        [exit('close_desk', 'Agreed'), exit('intake.ask_name > pick_slot', 'Wrong person')],
      ),
      action('answer_question', ['Answer'], [exit('close_desk')]),
      action('close_desk', ['Say goodbye']),
    ),
    references: { intake: [intakeId, 1] },
    global_action_guidelines: ['Sound like a front desk'],
  };
}

export const child: JsonObject = {
  ...graphOf(
    action('ask_name', ['Ask for the name'], [exit('ask_dob')]),
    action('ask_dob', ['Ask for the date', 'Ask again'], [exit('intake_done')]),
    action('intake_done', ['Thank the person']),
  ),
  global_action_guidelines: ['Collect one field at a time'],
};

/** A child that calls a third graph. */
export const childWithSpelling: JsonObject = {
  ...graphOf(
    action('ask_name', ['Ask for the name'], [exit('ask_dob'), exit('spell.spell_it > ask_dob')]),
    action('ask_dob', ['Ask for the date', 'Ask again'], [exit('intake_done')]),
    action('intake_done', ['Thank the person']),
  ),
  references: { spell: ['bbbbbbbbbbbbbbbbbbbbbbbb', 1] },
};

export const spell = graphOf(
  action('spell_it', ['Ask for the spelling'], [exit('spelled')]),
  action('spelled', ['Read it back']),
);

/** Thinking states that can form a cycle. */
export const loop = graphOf(
  action('hub', ['Talk', 'Ask'], [exit('think')]),
  reflection('think', 'pick'),
  decision('pick', [exit('think'), exit('hub'), exit('end')]),
  action('end', ['Say goodbye']),
);

/** The action state of the seed's page, which handles a change of topic itself. */
export const engage = graphOf(
  action(
    'engage_client_on_in_scope_topic',
    ['Address all queries', 'Ask follow-up questions', 'Handle a change of topic', 'Go on'],
    [exit('end_session', 'The client asks to terminate the session')],
    {
      intra_state_navigation_guidelines: [
        'When the client introduces a new topic, handle it within this state',
      ],
    },
  ),
  action('end_session', ['Say goodbye']),
);
