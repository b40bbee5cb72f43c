/** A token (RFC 9110 5.6.2): the form of methods and of header names. */
export const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
