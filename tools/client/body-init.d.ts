/** Type of the DOM library that the generated client names; the types of Node have it by no name. */
type BodyInit = NonNullable<RequestInit['body']>;
