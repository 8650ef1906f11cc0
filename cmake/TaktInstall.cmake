# What a stranger gets.
