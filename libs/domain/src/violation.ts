/** The rules that a field may break, with the sentence of each. The names are stable; docs/errors.md lists them. */
export const RULES = {
  required: 'The field is missing.',
  null_not_allowed: 'The field is null.',
  not_applicable: 'The field does not apply to this request.',
  invalid_type: 'The value has the wrong JSON type.',
  blank: 'The text is empty or has only white space.',
  min_length: 'The text is too short.',
  max_length: 'The text is too long.',
  too_few_items: 'The list or object has too few members.',
  too_many_items: 'The list has too many items.',
  duplicate_item: 'The list has an item twice.',
  wrong_count: 'The number of items differs from the number of recipients or placeholders.',
  out_of_range: 'The number or time is outside its limits.',
  not_allowed_value: 'The value is not one of the allowed values.',
  invalid_format: 'The text does not have the form of the field, such as that of a phone number.',
  invalid_character: 'The text has a character that is not allowed, such as a line end.',
  forbidden_field: 'The name of a field is not allowed, such as `__proto__`.',
  too_deep: 'The body is nested too deeply.',
  too_many_keys: 'An object has too many members.',
  unknown_field: 'The operation has no such field, or the field cannot be changed.',
  unknown_parameter: 'The operation has no such query parameter.',
  unknown_account: 'There is no account with this id.',
  unknown_gateway: 'There is no gateway with this name.',
  unknown_limit: 'There is no limit with this name.',
  invalid_placeholder: 'A placeholder does not have the form that the field takes.',
  placeholder_required: 'The text lacks a placeholder.',
  placeholder_not_allowed: 'The text may not have a placeholder.',
  placeholder_order: 'Placeholders are not numbered from 1 without gaps.',
  placeholder_missing: 'The text has no placeholder for a given value.',
  placeholder_unknown: 'The text has a placeholder without a value.',
  too_many_placeholders: 'The text has too many placeholders.',
  template_mismatch: 'The value differs from that of the template.',
  example_mismatch: 'The template does not have one example for each placeholder.',
  missing_body: 'The template has no BODY.',
  missing_otp_button: 'The template has no OTP button.',
  media_kind: 'The handle belongs to another kind of file.',
  link_forbidden: 'The link leads to a private address.',
  endpoint_forbidden: 'The endpoint is a private address.',
  url_user_info: 'The URL has a user name or password.',
  url_port: 'The URL names a port that is not allowed.',
  reserved_parameter: 'The URL has a parameter with the name of a field of the report.',
  invalid_setting: 'The kind of gateway has no such setting, or does not take this value.',
  second_default: 'The channel already has a default route.',
  test_number: 'The number is for `sb_test_` keys only.',
  too_simple: 'The password is too simple.',
  too_common: 'The password is among the most common ones.',
} as const;

/** The stable name of a rule. */
export type Rule = keyof typeof RULES;

/** One broken rule of one field of a request. */
export interface Violation {
  /** Path of the field: `components[1].buttons[0].url`, `to[3]`. */
  field: string;
  rule: Rule;
  /** Sentence without its subject: `must be at most 1024 characters`. */
  message: string;
}

/** Builds a violation. */
export function violation(field: string, rule: Rule, message: string): Violation {
  return { field, rule, message };
}
