"""The lecture notes' examples: the search in parallel lists, dead static variables, divisions, alternating sums.

    search("ann", ["susan", "john", "ann"], [1, 2, 3])    prints 3

Labels of the notes' flow graphs are kept as printed texts, so that copies of a block can be counted.
"""


def search(name, name_list, value_list):
    while name != name_list[0]:
        name_list = name_list[1:]
        value_list = value_list[1:]
    print(value_list[0])


def find(name, name_list, value_list):
    """The functional version."""
    if name == name_list[0]:
        return value_list[0]
    return find(name, name_list[1:], value_list[1:])


def find_in(value_list):
    return find("ann", ("susan", "john", "ann"), value_list)


def dead_variable(condition, y):
    """x is dead at the start of L2, so one copy of L2 is enough."""
    if condition:
        x = 1
        print("one", x)
    else:
        x = 2
        print("two", x)
    print("L2")
    x = y + 3
    return x * x


def live_variable(condition, y):
    """x is live at L2: with every static value in the key there are two copies."""
    if condition:
        x = 1
    else:
        x = 2
    print("L2")
    return x + y


def power(a, x):
    answer = 1
    while x > 0:
        answer = answer * a
        x = x - 1
    return answer


def congruent_but_unsafe(x):
    """Flow dependence alone calls y static; its values are without bound."""
    y = 0
    while x > 0:
        x = x - 1
        y = y + 1
    return y


def pointwise(x, y):
    """x is static, then dynamic, then static again."""
    print(x + 1)
    x = y
    print(x)
    x = 5
    print(x * 2)
    return x


def alternate(length, array):
    total = 0
    i = 0
    while i < length:
        if array[i] % 2 == 0:
            total = total + array[i]
        else:
            total = total - array[i]
        i = i + 1
    print(total)


def alternate_list(values):
    """The functional version."""
    if not values:
        return 0
    if values[0] % 2 == 0:
        return values[0] + alternate_list(values[1:])
    return alternate_list(values[1:]) - values[0]


def unfold_without_end(x, y):
    """Sixth exercise: y is static, changes at each call, and only x ends the recursion."""
    if x == 0:
        return y
    return unfold_without_end(x - 1, y + 1)
