/** The shape of our ids; any other text is an unknown id, without a query. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
